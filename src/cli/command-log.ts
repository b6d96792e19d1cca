import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/setting-parsers.js';
import { isJournal, withLevels } from './journal.js';

/**
 * Returns the log of a command. It contains no messages of success, because the output of the command reports success.
 */
export function commandLog(level: LogLevel): Logger {
  return pino({ level: level === 'info' ? 'warn' : level, base: null }, commandDestination());
}

/** Returns the destination of the log of a command, which is written line by line. */
export function commandDestination(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true });
  return isJournal(2) ? withLevels(destination, true) : destination;
}
