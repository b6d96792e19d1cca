import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { onOneLine } from '../../kernel/text.js';
import { untilAborted } from '../../kernel/with-timeout.js';
import { UsageError } from '../usage-error.js';

/** A question with the name of its flag. */
export interface Question {
  readonly flag: string;
  readonly text: string;
  /** Answer that is used for an empty input; undefined when an answer is required. */
  readonly suggestion?: string;
  readonly isSecret?: boolean;
  /** Returns what is wrong with an answer; undefined for a valid one. */
  readonly check?: (answer: string) => string | undefined;
}

/** Takes answers from flags, and asks a person for the others. */
export interface Questions {
  readonly isUnattended: boolean;
  /** @throws UsageError when an answer is missing and cannot be asked for, or the answer of a flag is wrong */
  ask(question: Question, given?: string): Promise<string>;
  close(): void;
}

/**
 * @param isUnattended whether answers come only from flags and suggestions
 * @param stop ends a question that waits for its answer; `ask` then rejects with the reason of the signal
 */
export function openQuestions(isUnattended: boolean, stop: AbortSignal): Questions {
  const output = new EchoOutput();
  const lines = isUnattended
    ? undefined
    : createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
  // On a terminal, readline receives Ctrl-C as a key, so the signal has to be emitted here.
  lines?.on('SIGINT', () => process.emit('SIGINT', 'SIGINT'));
  stop.addEventListener('abort', () => lines?.close());
  const read = lines?.[Symbol.asyncIterator]();
  const readLine = async ({ text, suggestion, isSecret = false, flag }: Question): Promise<string> => {
    if (!read) return '';
    output.isMuted = false;
    process.stdout.write(`${text}${suggestion ? ` [${suggestion}]` : ''} `);
    output.isMuted = isSecret;
    const { value, done } = await untilAborted(stop, () => read.next());
    output.isMuted = false;
    if (isSecret || !process.stdin.isTTY) process.stdout.write('\n');
    if (done) throw new UsageError(`the input ended before an answer to ${flag}`);
    return isSecret ? String(value) : String(value).trim();
  };
  return {
    isUnattended,
    async ask(question, given) {
      const { flag, suggestion, check, isSecret = false } = question;
      for (let answer = given; ; answer = undefined) {
        const text = (answer ?? (await readLine(question))) || suggestion;
        const problem =
          text === undefined
            ? 'an answer is needed'
            : text === ''
              ? undefined
              : ((isSecret ? undefined : findControl(text)) ?? check?.(text));
        if (problem === undefined) return text ?? '';
        if (answer !== undefined || !read)
          throw new UsageError(`${flag}${answer ? ` ${onOneLine(answer)}` : ''}: ${problem}`);
        process.stdout.write(`  ${problem}\n`);
      }
    },
    close: () => lines?.close(),
  };
}

/**
 * Returns the problem of an answer with control characters. Neither a properties file nor a systemd unit should contain
 * them.
 */
const findControl = (text: string): string | undefined =>
  /\p{Cc}/u.test(text) ? 'it must not contain line breaks or other control characters' : undefined;

/** Output of a terminal that does not show typed characters while it is muted. */
class EchoOutput extends Writable {
  isMuted = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.isMuted) process.stdout.write(chunk);
    done();
  }
}
