import { expect, test } from 'vitest';
import { ArrivingBodies } from './arriving-bodies.js';

/** Bodies by name; the first letter is the client. */
function bodiesOf(limits: { bytesPerClient: number; bytes: number }) {
  const arriving = new ArrivingBodies(limits);
  const refused: string[] = [];
  const start = (name: string) => arriving.start(name.charAt(0), () => refused.push(name));
  return { refused, start };
}

test('a body of which nothing has arrived takes up nothing', () => {
  const { refused, start } = bodiesOf({ bytesPerClient: 10, bytes: 100 });
  for (let at = 0; at < 1_000; at++) start(`a${at}`);
  start('a').add(10);
  expect(refused).toEqual([]);
});

test('a client with too many bytes: its body that is idle for longest is refused, none of another client', () => {
  const { refused, start } = bodiesOf({ bytesPerClient: 10, bytes: 100 });
  const [b1, a1, a2, a3] = ['b1', 'a1', 'a2', 'a3'].map(start);
  b1?.add(10);
  a1?.add(4);
  a2?.add(4);
  a1?.add(1);
  a3?.add(4);
  expect(refused).toEqual(['a2']);
  a3?.add(20);
  expect(refused).toEqual(['a2', 'a1', 'a3']);
  start('a4').add(10);
  expect(refused).toEqual(['a2', 'a1', 'a3']);
});

test('too many bytes of all clients: a body of the client with most of them is refused', () => {
  const { refused, start } = bodiesOf({ bytesPerClient: 10, bytes: 20 });
  start('a1').add(5);
  start('a2').add(5);
  start('b1').add(8);
  start('c1').add(4);
  expect(refused).toEqual(['a1']);
});

test('a body that has ended counts no longer, and is not refused', () => {
  const { refused, start } = bodiesOf({ bytesPerClient: 10, bytes: 20 });
  const first = start('a1');
  first.add(10);
  first.end();
  first.end();
  first.add(10);
  start('a2').add(10);
  expect(refused).toEqual([]);
});
