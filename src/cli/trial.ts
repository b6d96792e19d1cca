import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from '../kernel/command-hint.js';
import { productDir } from '../kernel/product.js';

/** Whether the program runs in a checkout or by npx, where people try it out. */
export function runsAsTrial(): boolean {
  if (isInstalled()) return false;
  return existsSync(join(productDir, 'src', 'main.ts')) || process.env.npm_lifecycle_event === 'npx';
}

const programOptions = new Set(['-h', '--help', '-V', '--version']);

/**
 * Returns the arguments, with the command `serve` added if they begin with an option of that command. Without
 * arguments, the program prints its help, or starts a trial in a checkout or by npx.
 */
export function withCommand(args: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === undefined) return runsAsTrial() ? ['serve'] : ['--help'];
  return first.startsWith('-') && !programOptions.has(first) ? ['serve', ...args] : args;
}
