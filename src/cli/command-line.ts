import { Command, CommanderError } from 'commander';
import { productVersion } from '../kernel/product.js';
import { addHelp } from './command-help.js';
import { commands } from './commands.js';
import { exitCodes } from './exit-codes.js';
import type { StopSignals } from './stop-signals.js';
import { withCommand } from './trial.js';

/** Runs the command that the arguments name, and resolves when it has ended. */
export async function runCommandLine(args: readonly string[], signals: StopSignals): Promise<void> {
  const given = withCommand(args);
  try {
    const program = await createProgram(signals, given, args.includes('--all'));
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the error or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

/**
 * Returns the program with all its subcommands, for the command line, the manual page and the completions.
 * @param wanted names of the commands to define completely; the others have only a summary and operands, and their code
 *   is not loaded
 * @param showsAll whether the help of a command also lists the settings
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
