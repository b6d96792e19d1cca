import { AsyncLocalStorage } from 'node:async_hooks';
import { types } from 'node:util';

/** Code that is not part of this program and whose failures must not end it. */
export interface ContainedCode {
  readonly name: string;
  /** URL of the code, as it appears in the stack traces of its errors. */
  readonly url: string;
}

const current = new AsyncLocalStorage<ContainedCode>();
const running = new Set<ContainedCode>();

/** Calls foreign code. Errors in timers and promises that it starts are also attributed to it. */
export function callContained<T>(code: ContainedCode, work: () => T): T {
  running.add(code);
  return current.run(code, work);
}

/**
 * Returns the foreign code that caused an uncaught exception or unhandled rejection; undefined if this program caused
 * it. Must be called while the exception is being handled. Our own code throws only readable errors, so anything else
 * is foreign.
 */
export function findContained(thrown: unknown): ContainedCode | undefined {
  const owner = current.getStore();
  if (owner) return owner;
  const all = [...running];
  const stack = types.isNativeError(thrown) ? readText(thrown, 'stack') : undefined;
  return stack === undefined ? all[0] : all.find(({ url }) => stack.includes(url));
}

const maxCauses = 5;

/**
 * Returns an error that can be logged, whatever was thrown: foreign code may throw `undefined`, or an object that
 * throws on every property access.
 */
export function describeThrown(thrown: unknown, causes = 0): Error {
  const message = readText(thrown, 'message');
  const described = new Error(message ?? `${describeValue(thrown)} was thrown, which is not an error`);
  described.name = readText(thrown, 'name') ?? 'Error';
  described.stack = readText(thrown, 'stack') ?? `${described.name}: ${described.message}`;
  const cause = readProperty(thrown, 'cause');
  if (cause !== undefined && causes < maxCauses) described.cause = describeThrown(cause, causes + 1);
  return described;
}

/** Reads a property; undefined if it is absent or cannot be read. */
function readProperty(value: unknown, property: string): unknown {
  try {
    return (value as Record<string, unknown>)[property];
  } catch {
    return undefined;
  }
}

function readText(value: unknown, property: string): string | undefined {
  const text = readProperty(value, property);
  return typeof text === 'string' ? text.slice(0, 10_000) : undefined;
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 200));
  return typeof value === 'object' || typeof value === 'function' ? `a value of type ${typeof value}` : String(value);
}
