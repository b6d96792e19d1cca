import { Fault, type FaultKind } from './fault.js';

/** Limit that a request exceeds, as described in its refusal. */
export interface Limit {
  /** Limit with its unit, such as `500 live connections`. */
  readonly amount: string;
  /** Setting that changes the limit; undefined: the limit is fixed. */
  readonly setting: string | undefined;
  /** Subject to which the limit applies, such as `the address 10.0.0.1`. */
  readonly countedFor: string;
}

/** Returns the sentence with which every refusal names the limit, its setting, and the client to which it applies. */
export function describeLimit({ amount, setting, countedFor }: Limit): string {
  return `The limit is ${amount} for ${countedFor}${setting === undefined ? ', and is fixed' : ` (setting ${setting})`}.`;
}

/** Returns the Fault of a request that exceeds a limit. It names the refused action, the limit, and what to do. */
export function limitFault(
  kind: FaultKind,
  code: string,
  { refused, limit, advice = '' }: { readonly refused: string; readonly limit: Limit; readonly advice?: string },
  options?: { cause?: unknown; retryAfterSeconds?: number },
): Fault {
  return new Fault(
    kind,
    code,
    [refused, describeLimit(limit), advice].filter((part) => part !== '').join(' '),
    options,
  );
}

/** Formats a number of bytes for a message, in the units of the settings. */
export function inBytes(bytes: number): string {
  if (bytes >= 1_048_576) return `${Number((bytes / 1_048_576).toFixed(2))} MB`;
  return bytes >= 1_024 ? `${Number((bytes / 1_024).toFixed(2))} kB` : `${bytes} B`;
}
