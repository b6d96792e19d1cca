import { fstatSync } from 'node:fs';
import type { DestinationStream, pino } from 'pino';

/** Numbers that syslog gives to the levels of pino. */
const priorities: readonly (readonly [fromLevel: number, priority: number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];

/** How long lines below warnings wait for others, to be written together. */
const flushMs = 100;

const warnLevel = 40;
const errorLevel = 50;

/** Returns whether a file descriptor leads to the journal of systemd, which reads the priority of a line from its beginning. */
export function isJournal(fd: number, { JOURNAL_STREAM: stream } = process.env): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Returns lines with the priority of their level in front of each, as the journal and syslog read it. */
export function withPriority(level: number, lines: string): string {
  const priority = priorities.find(([fromLevel]) => level >= fromLevel)?.[1] ?? 7;
  return lines.replace(/^(?=[^\n])/gm, `<${priority}>`);
}

/** Prints an error; in the journal with its priority. */
export function printError(text: string): void {
  console.error(isJournal(2) ? withPriority(errorLevel, text) : text);
}

type Destination = Pick<ReturnType<typeof pino.destination>, 'write' | 'flush' | 'on'> & {
  /** True once the process has written everything and is about to end. */
  readonly destroyed?: boolean;
};

/**
 * Returns a destination of a log: in the journal, each line has the priority of its level. Lines from warnings on are
 * written immediately: they must not be lost with a process that is killed. Others are written together a moment later.
 */
export function withLevels(destination: Destination, inJournal = isJournal(2)): DestinationStream {
  const flushes = new DelayedFlushes(destination);
  const stream = {
    // With it, pino sets the level of each line before it writes the line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      destination.write(inJournal ? withPriority(this.lastLevel, line) : line);
      if (this.lastLevel >= warnLevel) destination.flush();
      flushes.noteLine();
    },
  };
  return stream;
}

/** Flushes a destination soon after each line. Without lines it has no timer, which would wake an idle process. */
class DelayedFlushes {
  private timer: NodeJS.Timeout | undefined;
  private hasNewLines = false;

  constructor(private readonly destination: Destination) {
    // A flush does nothing during a write: the lines that came in that time need another one.
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
