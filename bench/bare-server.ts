import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// What node:http can do at most: every request is answered with the same body, of as many bytes as the argument says.
const body = Buffer.alloc(Number(process.argv[2]), 'x');
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
