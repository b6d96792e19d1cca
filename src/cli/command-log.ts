import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/setting-parsers.js';
import { commandDestination } from './journal.js';

/** The log of a command. What goes well is in its output. */
export function commandLog(level: LogLevel): Logger {
  return pino({ level: level === 'info' ? 'warn' : level, base: null }, commandDestination());
}
