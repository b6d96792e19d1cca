import { fstatSync } from 'node:fs';
import type { DestinationStream, pino } from 'pino';

/** Syslog priorities for the levels of pino. */
const priorities: readonly (readonly [fromLevel: number, priority: number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];

/** Time for which lines below the level warn are buffered, to be written together. */
const flushMs = 100;

const warnLevel = 40;
const errorLevel = 50;

/**
 * Returns whether a file descriptor leads to the systemd journal, which reads the priority from the beginning of a
 * line.
 */
export function isJournal(fd: number, { JOURNAL_STREAM: stream } = process.env): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Returns the lines, each prefixed with the priority of its level in the form that the journal and syslog read. */
export function withPriority(level: number, lines: string): string {
  const priority = priorities.find(([fromLevel]) => level >= fromLevel)?.[1] ?? 7;
  return lines.replace(/^(?=[^\n])/gm, `<${priority}>`);
}

/** Prints an error, with its priority if the output is the journal. */
export function printError(text: string): void {
  console.error(isJournal(2) ? withPriority(errorLevel, text) : text);
}

type Destination = Pick<ReturnType<typeof pino.destination>, 'write' | 'flush' | 'on'> & {
  /** Whether the process has written everything and is about to end. */
  readonly destroyed?: boolean;
};

/**
 * Returns a destination of a log. In the journal, each line starts with the priority of its level. Warnings and errors
 * are written immediately, so that they are not lost if the process is killed. Other lines are written together a
 * moment later.
 */
export function withLevels(destination: Destination, inJournal = isJournal(2)): DestinationStream {
  const flushes = new DelayedFlushes(destination);
  const stream = {
    // With this symbol, pino sets the level of each line before it writes the line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const bytes = Buffer.from(inJournal ? withPriority(this.lastLevel, line) : line);
      // The types of the destination know only strings; it converts bytes unless its content mode is `buffer`.
      destination.write(bytes as unknown as string);
      if (this.lastLevel >= warnLevel) destination.flush();
      flushes.noteLine();
    },
  };
  return stream;
}

/**
 * Flushes a destination soon after each line. It has no timer without lines, because that would wake an idle process.
 */
class DelayedFlushes {
  private timer: NodeJS.Timeout | undefined;
  private hasNewLines = false;

  constructor(private readonly destination: Destination) {
    // A flush during a write has no effect, so the lines that arrived during the write need another one.
    destination.on('drain', () => {
      if (!this.hasNewLines) return;
      this.hasNewLines = false;
      this.flushSoon();
    });
  }

  noteLine(): void {
    this.hasNewLines = true;
    this.flushSoon();
  }

  private flushSoon(): void {
    this.timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  private flush(): void {
    this.timer = undefined;
    if (!this.destination.destroyed) this.destination.flush();
  }
}
