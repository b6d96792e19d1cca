import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The most that node:http can do: every response has the same body, whose length in bytes is the argument.
const body = Buffer.alloc(Number(process.argv[2]), 'x');
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
