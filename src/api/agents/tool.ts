import type { InnerAnswer, InnerRequest } from '../../http/request/inner-request.js';
import type { TSchema } from '../../kernel/json-schema.js';

/** A tool that agents may call. It reads and writes only through its caller's requests to the REST API. */
export interface Tool {
  /** Unique name; the id of the operation if the tool is one operation of the REST API. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: TSchema;
  /** Whether the tool stores something. */
  readonly writes: boolean;
  /**
   * Returns the answer, which becomes JSON.
   * @param args arguments that match `inputSchema`
   * @throws ToolFailure
   */
  run(call: ToolCall, args: never): Promise<object>;
}

/** A call of a tool, with everything that the tool may use. */
export interface ToolCall {
  /**
   * Sends a request on behalf of the caller; its path is relative to the root path. Returns the body of the answer.
   * @throws ToolFailure when the answer is an error
   */
  ask(request: InnerRequest): Promise<unknown>;
  /** Returns the address of a page of the browser client. */
  link(path: string): string;
  /** Name of the token of the caller. */
  readonly tokenName: string;
  readonly nowMs: number;
  readonly plan: ShiftPlan;
}

/** The shifts of a day, with their time zone. */
export interface ShiftPlan {
  readonly shifts: readonly { readonly name: string; readonly start: string }[];
  /** IANA time zone. */
  readonly zone: string;
}

/**
 * Outcome of a call that failed. `unavailable`: the service could not answer now, which says nothing about the content
 * of the logbook; `not-found`: the entry does not exist, or the reader may not read it; `refused`: the call is wrong or
 * not permitted.
 */
export type FailureKind = 'unavailable' | 'not-found' | 'refused';

export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';

  constructor(
    readonly kind: FailureKind,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Statuses after which the same request may succeed. */
const transient = new Set([408, 429]);

/**
 * Returns the body of an answer.
 * @throws ToolFailure when the answer is an error
 */
export function bodyOf({ status, body, retryAfterSeconds }: InnerAnswer): unknown {
  if (status >= 200 && status < 300) return body;
  const { code = 'internal', message = `The service answered with ${status}.` } = (body ?? {}) as {
    readonly code?: string;
    readonly message?: string;
  };
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${retryAfterSeconds} s before the next call.`;
  throw new ToolFailure(kindOf(status), code, `${message}${wait}`);
}

function kindOf(status: number): FailureKind {
  if (status >= 500 || transient.has(status)) return 'unavailable';
  return status === 404 ? 'not-found' : 'refused';
}
