import type { TreeState } from './merkle-tree.js';

/** Signed state of a log at one moment. */
export interface LogCheckpoint extends TreeState {
  /** Name of the log, on one line. */
  readonly origin: string;
  /** Additional lines, none of them empty. */
  readonly extensions: readonly string[];
}

/** Encodes a checkpoint (C2SP tlog-checkpoint), for `signNote`. */
export function encodeCheckpoint({ origin, size, root, extensions }: LogCheckpoint): string {
  return `${[origin, size, Buffer.from(root, 'hex').toString('base64'), ...extensions].join('\n')}\n`;
}

/** Parses the text of a checkpoint; undefined when it is not a checkpoint. */
export function parseCheckpoint(text: string): LogCheckpoint | undefined {
  const [, origin, size, root, extensions = ''] =
    /^([^\n]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n((?:[^\n]+\n)*)$/.exec(text) ?? [];
  if (origin === undefined || root === undefined) return undefined;
  return {
    origin,
    size: Number(size),
    root: Buffer.from(root, 'base64').toString('hex'),
    extensions: extensions === '' ? [] : extensions.slice(0, -1).split('\n'),
  };
}
