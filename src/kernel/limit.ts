import { Fault, type FaultKind } from './fault.js';

/** A bound for which a request is refused, as the refusal names it. */
export interface Limit {
  /** The bound with its unit, such as `500 live connections`. */
  readonly amount: string;
  /** The setting that changes it; undefined: it is fixed. */
  readonly setting: string | undefined;
  /** Subject that the limit counts, such as `the address 10.0.0.1`. */
  readonly countedFor: string;
}

/** The sentence by which every refusal names the limit, its setting, and the client that it counts for. */
export function describeLimit({ amount, setting, countedFor }: Limit): string {
  return `The limit is ${amount} for ${countedFor}${setting === undefined ? ', and is fixed' : ` (setting ${setting})`}.`;
}

/** The fault of a request that is refused for a limit: what was refused, the limit, and what to do. */
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

/** A number of bytes for a message, in the units of the settings. */
export function inBytes(bytes: number): string {
  if (bytes >= 1_048_576) return `${Number((bytes / 1_048_576).toFixed(2))} MB`;
  return bytes >= 1_024 ? `${Number((bytes / 1_024).toFixed(2))} kB` : `${bytes} B`;
}
