import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { Latencies } from './latencies.js';

// Does almost nothing: in a loop, waits 10 ms and appends 4 kB with an fsync to the file that the argument names. At
// each message it reports how long both took since the last message.
const waitMs = 10;
const block = Buffer.alloc(4_096, 'x');
const file = openSync(process.argv[2] as string, 'w');
let late = new Latencies();
let append = new Latencies();
let dueMs = performance.now() + waitMs;
const timer = setTimeout(function act() {
  const wokenMs = performance.now();
  late.add(wokenMs - dueMs);
  writeSync(file, block);
  fsyncSync(file);
  const doneMs = performance.now();
  append.add(doneMs - wokenMs);
  dueMs = doneMs + waitMs;
  timer.refresh();
}, waitMs);
process.on('message', () => {
  process.send?.({ late: late.summary(), append: append.summary() });
  late = new Latencies();
  append = new Latencies();
});
process.once('disconnect', () => {
  clearTimeout(timer);
  closeSync(file);
});
