import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

// Answers everything with the same body, whose length in bytes is the first argument: with bare node:http, which is the
// upper bound, or as a route of Fastify if the second argument is `fastify`.
const body = Buffer.alloc(Number(process.argv[2]), 'x');
const contentType = 'application/json; charset=utf-8';

function startBare(): void {
  const headers = { 'content-type': contentType, 'content-length': body.length };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, headers).end(body);
  });
  server.listen(0, '127.0.0.1', () => report(server.address()));
}

async function startFastify(): Promise<void> {
  const app = Fastify();
  app.all('/*', async (_request, reply) => reply.type(contentType).send(body));
  await app.listen({ port: 0, host: '127.0.0.1' });
  report(app.server.address());
}

function report(address: string | AddressInfo | null): void {
  console.log(`ready at http://127.0.0.1:${(address as AddressInfo).port}`);
}

if (process.argv[3] === 'fastify') await startFastify();
else startBare();
