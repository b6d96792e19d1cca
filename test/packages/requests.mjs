// Sends a request every few milliseconds until the process is ended; then prints for how long at
// most none was answered, and how many connections were refused.
import { get } from 'node:http';

let lastMs = performance.now();
let longestMs = 0;
let refused = 0;
process.on('SIGTERM', () => {
  process.stdout.write(`${Math.round(longestMs)} ms, ${refused} refused\n`, () => process.exit());
});
for (;;) {
  const isAnswered = await new Promise((resolve) => {
    get({ host: '127.0.0.1', port: 8080, path: '/healthz', agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    }).on('error', ({ code }) => {
      if (code === 'ECONNREFUSED') refused++;
      resolve(false);
    });
  });
  if (isAnswered) {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
