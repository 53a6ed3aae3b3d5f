//! Stacks in pprof's format: the public `profile.proto`, gzipped.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use crate::model::{Frame, Path, Profile};

/// The messages of `profile.proto`, as far as Leyden writes them. The tags define the format.
pub mod proto {
    /// A profile.
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Profile {
        /// The meanings of a sample's values.
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        /// One sample for each path.
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        /// The locations of frames.
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        /// The functions of frames.
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        /// All strings; the first is empty.
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
        /// The time of the run.
        #[prost(int64, tag = "10")]
        pub duration_nanos: i64,
        /// Remarks, as indices into the string table.
        #[prost(int64, repeated, tag = "13")]
        pub comment: Vec<i64>,
        /// The value that viewers show first.
        #[prost(int64, tag = "14")]
        pub default_sample_type: i64,
    }

    /// A kind of value.
    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct ValueType {
        /// Its name.
        #[prost(int64, tag = "1")]
        pub r#type: i64,
        /// Its unit.
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }

    /// A path.
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Sample {
        /// Its locations, the innermost first.
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        /// Its values.
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
    }

    /// The location of a frame.
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Location {
        /// Its id, which is not 0.
        #[prost(uint64, tag = "1")]
        pub id: u64,
        /// Its only line.
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }

    /// A line of a function.
    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Line {
        /// The function.
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
        /// The line's number.
        #[prost(int64, tag = "2")]
        pub line: i64,
    }

    /// The name of a frame.
    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Function {
        /// Its id, which is not 0.
        #[prost(uint64, tag = "1")]
        pub id: u64,
        /// Its name.
        #[prost(int64, tag = "2")]
        pub name: i64,
        /// Its name, repeated as the format requires.
        #[prost(int64, tag = "3")]
        pub system_name: i64,
        /// Its file.
        #[prost(int64, tag = "4")]
        pub filename: i64,
    }
}

/// Distinct strings, the empty one first.
struct Strings(Vec<String>);

impl Strings {
    fn place(&mut self, text: &str) -> i64 {
        let known = self.0.iter().position(|other| other == text);
        let place = known.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        });
        place as i64
    }

    /// Adds a text without searching for it: frames are many and mostly different.
    fn add(&mut self, text: String) -> i64 {
        self.0.push(text);
        self.0.len() as i64 - 1
    }
}

impl Profile {
    /// Writes the stacks as a gzipped pprof profile with two values: calls and nanoseconds.
    pub fn to_pprof(&self) -> std::io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&self.pprof_message().encode_to_vec())?;
        encoder.finish()
    }

    fn pprof_message(&self) -> proto::Profile {
        let mut strings = Strings(vec![String::new()]);
        let calls = value_type(&mut strings, "calls", "count");
        let time = value_type(&mut strings, "time", "nanoseconds");
        let frames = self.stacks.frames.iter().zip(1..);
        let function = frames
            .clone()
            .map(|(frame, id)| function(&mut strings, frame, id));
        proto::Profile {
            sample_type: vec![calls, time],
            function: function.collect(),
            location: frames.map(|(frame, id)| location(frame, id)).collect(),
            sample: self.stacks.paths.iter().map(sample).collect(),
            duration_nanos: signed(self.totals.wall_ns),
            comment: vec![
                strings.place(&self.title),
                strings.place(&self.setting.command),
            ],
            default_sample_type: time.r#type,
            string_table: strings.0,
        }
    }
}

fn value_type(strings: &mut Strings, name: &str, unit: &str) -> proto::ValueType {
    proto::ValueType {
        r#type: strings.place(name),
        unit: strings.place(unit),
    }
}

fn function(strings: &mut Strings, frame: &Frame, id: u64) -> proto::Function {
    let name = strings.add(frame.label());
    proto::Function {
        id,
        name,
        system_name: name,
        filename: strings.place(&frame.file),
    }
}

fn location(frame: &Frame, id: u64) -> proto::Location {
    proto::Location {
        id,
        line: vec![proto::Line {
            function_id: id,
            line: i64::from(frame.line),
        }],
    }
}

fn sample(path: &Path) -> proto::Sample {
    proto::Sample {
        location_id: path
            .frames
            .iter()
            .rev()
            .map(|&place| u64::from(place) + 1)
            .collect(),
        value: vec![signed(path.calls), signed(path.self_ns)],
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn what_is_encoded_can_be_decoded() {
        let profile = sample_profile();
        let zipped = profile.to_pprof().unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(zipped.as_slice())
            .read_to_end(&mut bytes)
            .unwrap();
        let message = proto::Profile::decode(bytes.as_slice()).unwrap();
        let time: i64 = message.sample.iter().map(|sample| sample.value[1]).sum();
        assert_eq!(time as u64, profile.totals.whole_ns);
        assert_eq!(message.string_table[0], "");
        let name = |id: u64| &message.string_table[message.function[id as usize - 1].name as usize];
        let deepest = message
            .sample
            .iter()
            .max_by_key(|s| s.location_id.len())
            .unwrap();
        let leaf_first: Vec<&String> = deepest.location_id.iter().map(|id| name(*id)).collect();
        assert_eq!(leaf_first.last().unwrap().as_str(), "execute");
    }
}
