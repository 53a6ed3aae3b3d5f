// What went wrong, for the user.

import { ApiError } from "../api.ts";

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "the server does not answer";
  return error instanceof Error ? error.message : String(error);
}

export function Problem(props: { error: unknown; onRetry?: () => void }) {
  if (props.error === null || props.error === undefined) return null;
  return (
    <p class="problem" role="alert">
      <span>{messageOf(props.error)}</span>
      {props.onRetry && (
        <button type="button" onClick={props.onRetry}>
          Try again
        </button>
      )}
    </p>
  );
}

export function Waiting(props: { for: string }) {
  return (
    <p class="waiting" role="status">
      Loading {props.for} …
    </p>
  );
}
