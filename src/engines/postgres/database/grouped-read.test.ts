import { expect, test } from 'vitest';
import { GroupedRead } from './grouped-read.js';

/** A read whose answers are held back. */
function heldRead() {
  const reads: { readonly questions: readonly string[]; resolve(): void; reject(error: Error): void }[] = [];
  const grouped = new GroupedRead<string, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        reads.push({ questions, resolve: () => resolve(questions.map((one) => one.toUpperCase())), reject });
      }),
  );
  return { grouped, reads };
}

test('questions that arrive during a read are answered together, by a read that begins after them', async () => {
  const { grouped, reads } = heldRead();
  const first = grouped.ask('a');
  const later = [grouped.ask('b'), grouped.ask('c')];
  expect(reads.map(({ questions }) => questions)).toEqual([['a']]);
  reads[0]?.resolve();
  expect(await first).toBe('A');
  await expect.poll(() => reads.length).toBe(2);
  expect(reads[1]?.questions).toEqual(['b', 'c']);
  reads[1]?.resolve();
  expect(await Promise.all(later)).toEqual(['B', 'C']);
});

test('a failed read rejects only the questions that it was to answer, and not later ones', async () => {
  const { grouped, reads } = heldRead();
  const failing = grouped.ask('a');
  const later = grouped.ask('b');
  reads[0]?.reject(new Error('lost'));
  await expect(failing).rejects.toThrow('lost');
  await expect.poll(() => reads.length).toBe(2);
  reads[1]?.resolve();
  expect(await later).toBe('B');
});
