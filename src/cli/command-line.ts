import { Command, CommanderError } from 'commander';
import { productVersion } from '../kernel/product.js';
import { addHelp } from './command-help.js';
import { commands } from './commands.js';
import { exitCodes } from './exit-codes.js';
import type { StopSignals } from './stop-signals.js';
import { withCommand } from './trial.js';

/** Runs the command that the arguments name; resolves when it is done. */
export async function runCommandLine(args: readonly string[], signals: StopSignals): Promise<void> {
  const given = withCommand(args);
  try {
    const program = await createProgram(signals, given, args.includes('--all'));
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what is wrong, or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

/**
 * Returns the command with all its subcommands: what the command line, the manual page and the completions know.
 * @param wanted names of the commands that are defined completely; the others have a summary and operands, and nothing of
 *   theirs is loaded
 * @param showsAll whether the help of a command lists the settings too
 */
export async function createProgram(
  signals: StopSignals,
  wanted: readonly string[] = Object.keys(commands),
  showsAll = false,
): Promise<Command> {
  const program = new Command('logbook')
    .description('An online logbook for large scientific facilities.')
    .version(productVersion)
    .exitOverride()
    .showHelpAfterError('(--help shows the options)');
  for (const [name, { operands = {}, load }] of Object.entries(commands)) {
    const command = program.command(name);
    for (const [operand, text] of Object.entries(operands)) command.argument(operand, text);
    if (wanted.includes(name)) (await load())(command, signals);
  }
  addHelp(program, showsAll);
  return program;
}
