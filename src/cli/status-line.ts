import { styleText } from 'node:util';

const colours = { PROBLEM: 'red', WARNING: 'yellow', notice: 'yellow', ok: 'green', repaired: 'green' } as const;

/**
 * Prints a line that begins with a status, which a terminal shows in colour. NO_COLOR and FORCE_COLOR are respected.
 */
export function printStatus(line: string): void {
  const [status = ''] = /^\w+/.exec(line) ?? [];
  const colour = (colours as Partial<Record<string, (typeof colours)[keyof typeof colours]>>)[status];
  const options = { stream: process.stdout, validateStream: true };
  console.log(colour ? `${styleText(colour, status, options)}${line.slice(status.length)}` : line);
}
