//! The shapes that notebooks for the system before Leyden read.
//!
//! Keys and types are the old ones: times are in seconds, or in milliseconds if the key says so.
//! One meaning differs: percentages are of self times, which add up. The old ones were of
//! cumulative times, which do not.

use serde::{Serialize, Serializer};

use crate::model::{Kind, Profile, RowKind, TaskPrimitive, TaskRow};
use crate::numbers::{counted, share};
use crate::stats::{PrimitiveStats, Priority};

/// The largest number of recommendations of the old batch profiler, and the smallest share of
/// the time that it named.
const MOST_OF_BATCH: usize = 15;
const LEAST_OF_BATCH: f64 = 0.001;
/// The limits of the old profiler of a single task.
const MOST_OF_TASK: usize = 10;
const LEAST_OF_TASK: f64 = 0.01;

/// Old keys beside the new ones.
#[derive(Serialize)]
pub(crate) struct OldKeys<'a> {
    aggregate: Aggregate<'a>,
    metadata: Metadata<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_results: Option<Ordered<&'a str, TaskResult<'a>>>,
    #[serde(flatten)]
    single: Option<Analysis<'a>>,
}

#[derive(Serialize)]
struct Aggregate<'a> {
    total_execution_time: f64,
    successful_tasks: usize,
    failed_tasks: Vec<&'a str>,
    function_totals: Ordered<&'a str, FunctionTotal>,
    recommendations: Vec<Recommendation<'a>>,
}

#[derive(Serialize)]
struct FunctionTotal {
    total_calls: u64,
    total_time: f64,
    total_cumtime: f64,
    task_count: usize,
    avg_time_per_call: f64,
    avg_time_per_task: f64,
}

#[derive(Serialize)]
struct Recommendation<'a> {
    function: &'a str,
    gpu_priority: &'static str,
    percent_of_total: f64,
    total_calls: u64,
    total_selftime_ms: f64,
    total_cumtime_ms: f64,
    avg_time_per_call_ms: f64,
    avg_time_per_task_ms: f64,
    task_count: usize,
}

#[derive(Serialize)]
struct Metadata<'a> {
    batt_file: &'a str,
    num_tasks: usize,
    successful: usize,
    failed: usize,
    total_time_ms: f64,
}

#[derive(Serialize)]
struct TaskResult<'a> {
    success: bool,
    analysis: Option<Analysis<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Analysis<'a> {
    function_stats: Ordered<&'a str, FunctionStats>,
    total_time: f64,
    recommendations: Vec<TaskRecommendation<'a>>,
}

#[derive(Serialize)]
struct FunctionStats {
    calls: u64,
    total_time: f64,
    cumtime: f64,
    avg_time: f64,
}

#[derive(Serialize)]
struct TaskRecommendation<'a> {
    function: &'a str,
    calls: u64,
    total_time_ms: f64,
    cumtime_ms: f64,
    avg_time_ms: f64,
    percent_of_total: f64,
    gpu_priority: &'static str,
}

/// An object with its keys in order.
struct Ordered<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Ordered<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A function's times in one task or in all tasks.
#[derive(Clone, Copy)]
struct Function<'a> {
    name: &'a str,
    calls: u64,
    self_ns: u64,
    cumulative_ns: u64,
}

impl Profile {
    pub(crate) fn old_keys(&self) -> OldKeys<'_> {
        let failed: Vec<&str> = self
            .tasks
            .iter()
            .filter(|task| has_failed(task))
            .map(|task| task.id.as_str())
            .collect();
        let n_successful = self.tasks.len() - failed.len();
        OldKeys {
            metadata: Metadata {
                batt_file: &self.setting.programs.name,
                num_tasks: self.tasks.len(),
                successful: n_successful,
                failed: failed.len(),
                total_time_ms: self.totals.execute_ns as f64 / 1e6,
            },
            aggregate: self.aggregate(n_successful, failed),
            task_results: matches!(self.kind, Kind::Batch | Kind::Dsl).then(|| {
                let of = |task| self.task_result(task);
                let results = self.tasks.iter().map(|task| (task.id.as_str(), of(task)));
                Ordered(results.collect())
            }),
            single: (self.kind == Kind::Dsl).then(|| self.whole_analysis()),
        }
    }

    fn aggregate<'a>(
        &'a self,
        successful_tasks: usize,
        failed_tasks: Vec<&'a str>,
    ) -> Aggregate<'a> {
        let stats = self.primitive_stats();
        let called = stats.iter().filter(|it| it.row.kind == RowKind::Primitive);
        let mut called: Vec<_> = called.filter(|it| it.row.calls > 0).collect();
        let named = called.iter().filter(|it| it.share > LEAST_OF_BATCH);
        let recommendations = named.take(MOST_OF_BATCH).map(|it| recommendation(it));
        let recommendations = recommendations.collect();
        called.sort_by_key(|it| std::cmp::Reverse(it.row.cumulative_ns));
        let totals = called
            .iter()
            .map(|it| (it.row.name.as_str(), function_total(it)));
        Aggregate {
            total_execution_time: seconds(self.totals.execute_ns),
            successful_tasks,
            failed_tasks,
            function_totals: Ordered(totals.collect()),
            recommendations,
        }
    }

    fn task_result<'a>(&'a self, task: &'a TaskRow) -> TaskResult<'a> {
        if has_failed(task) {
            let error = format!("{} ended in a fault", counted(task.runs, "run"));
            return TaskResult {
                success: false,
                analysis: None,
                output_count: None,
                error: Some(error),
            };
        }
        let functions = task.primitives.iter().filter_map(|it| self.function(it));
        TaskResult {
            success: true,
            analysis: Some(analysis(functions.collect(), task.self_ns)),
            output_count: Some(task.runs.saturating_sub(task.faults)),
            error: None,
        }
    }

    fn function<'a>(&'a self, part: &'a TaskPrimitive) -> Option<Function<'a>> {
        let row = self.primitives.get(part.row as usize)?;
        let is_called = row.kind == RowKind::Primitive && part.calls > 0;
        is_called.then_some(Function {
            name: &row.name,
            calls: part.calls,
            self_ns: part.self_ns,
            cumulative_ns: part.cumulative_ns,
        })
    }

    fn whole_analysis(&self) -> Analysis<'_> {
        let rows = self.primitives.iter();
        let called = rows.filter(|row| row.kind == RowKind::Primitive && row.calls > 0);
        let functions = called.map(|row| Function {
            name: &row.name,
            calls: row.calls,
            self_ns: row.self_ns,
            cumulative_ns: row.cumulative_ns,
        });
        analysis(functions.collect(), self.totals.execute_ns)
    }
}

/// Whether none of a task's runs gave a result.
fn has_failed(task: &TaskRow) -> bool {
    task.faults >= task.runs.max(1)
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn millis(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// The old profilers' word for a priority. They had one more word below LOW.
const fn old_priority(priority: Priority) -> &'static str {
    match priority {
        Priority::None => "MINIMAL",
        other => other.name(),
    }
}

fn function_total(stats: &PrimitiveStats<'_>) -> FunctionTotal {
    let row = stats.row;
    FunctionTotal {
        total_calls: row.calls,
        total_time: seconds(row.self_ns),
        total_cumtime: seconds(row.cumulative_ns),
        task_count: stats.n_tasks,
        avg_time_per_call: share(seconds(row.self_ns), row.calls as f64),
        avg_time_per_task: share(seconds(row.cumulative_ns), stats.n_tasks as f64),
    }
}

fn recommendation<'a>(stats: &PrimitiveStats<'a>) -> Recommendation<'a> {
    let row = stats.row;
    Recommendation {
        function: &row.name,
        gpu_priority: old_priority(stats.priority),
        percent_of_total: 100.0 * stats.share,
        total_calls: row.calls,
        total_selftime_ms: millis(row.self_ns),
        total_cumtime_ms: millis(row.cumulative_ns),
        avg_time_per_call_ms: stats.mean_ns / 1e6,
        avg_time_per_task_ms: share(millis(row.cumulative_ns), stats.n_tasks as f64),
        task_count: stats.n_tasks,
    }
}

fn analysis(mut functions: Vec<Function<'_>>, total_ns: u64) -> Analysis<'_> {
    functions.sort_by(|a, b| (b.self_ns, a.name).cmp(&(a.self_ns, b.name)));
    let of_total = |it: &Function<'_>| share(it.self_ns as f64, total_ns as f64);
    let named = functions.iter().filter(|it| of_total(it) > LEAST_OF_TASK);
    let recommendations = named.take(MOST_OF_TASK).map(|it| TaskRecommendation {
        function: it.name,
        calls: it.calls,
        total_time_ms: millis(it.self_ns),
        cumtime_ms: millis(it.cumulative_ns),
        avg_time_ms: share(millis(it.self_ns), it.calls as f64),
        percent_of_total: 100.0 * of_total(it),
        gpu_priority: old_priority(Priority::of(of_total(it))),
    });
    let recommendations = recommendations.collect();
    functions.sort_by_key(|it| std::cmp::Reverse(it.cumulative_ns));
    let stats = functions.iter().map(|it| {
        let stats = FunctionStats {
            calls: it.calls,
            total_time: seconds(it.self_ns),
            cumtime: seconds(it.cumulative_ns),
            avg_time: share(seconds(it.self_ns), it.calls as f64),
        };
        (it.name, stats)
    });
    Analysis {
        function_stats: Ordered(stats.collect()),
        total_time: seconds(total_ns),
        recommendations,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::sample::sample_profile;

    fn of(kind: Kind) -> Json {
        let mut profile = sample_profile();
        profile.kind = kind;
        profile.tasks[2].faults = profile.tasks[2].runs;
        serde_json::from_str(&profile.to_json()).unwrap()
    }

    #[test]
    fn a_batch_has_the_old_keys_with_the_old_types() {
        let json = of(Kind::Batch);
        let failed = sample_profile().tasks[2].id.clone();
        let aggregate = &json["aggregate"];
        assert_eq!(aggregate["failed_tasks"], serde_json::json!([failed]));
        assert_eq!(aggregate["successful_tasks"], 39);
        let objects = &aggregate["function_totals"]["objects"];
        let (calls, time) = (&objects["total_calls"], &objects["total_time"]);
        let mean = time.as_f64().unwrap() / calls.as_f64().unwrap();
        assert!((objects["avg_time_per_call"].as_f64().unwrap() / mean - 1.0).abs() < 1e-9);
        let first = &aggregate["recommendations"][0];
        assert_eq!(first["function"], "objects");
        assert_eq!(first["gpu_priority"], "HIGH");
        assert!(first["percent_of_total"].as_f64().unwrap() > 10.0);
        let bad = &json["task_results"][&failed];
        assert_eq!(bad["success"], false);
        assert!(bad["analysis"].is_null() && bad["error"].is_string());
        let good = &json["task_results"][&sample_profile().tasks[0].id];
        assert!(good["analysis"]["function_stats"].is_object());
        assert_eq!(good["output_count"], 3);
        assert_eq!(json["metadata"]["num_tasks"], 40);
        assert_eq!(json["metadata"]["failed"], 1);
        assert_eq!(json["metadata"]["batt_file"], "solvers.py");
    }

    #[test]
    fn a_single_profile_has_its_analysis_at_the_top() {
        let json = of(Kind::Dsl);
        let first = &json["recommendations"][0];
        for key in ["calls", "total_time_ms", "cumtime_ms", "avg_time_ms"] {
            assert!(first[key].is_number(), "{key}");
        }
        assert!(json["function_stats"]["objects"]["cumtime"].is_number());
        assert!(json["total_time"].is_number());
        assert!(of(Kind::Batch)["total_time"].is_null());
    }
}
