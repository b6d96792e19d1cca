import { expect, test } from 'vitest';
import { toClient } from './client.js';

test('a user who is signed in is a client wherever they are; anybody else is the network of their address', () => {
  const of = (userName: string | undefined, ip: string) => toClient(userName, { ip }).key;
  expect(of('jane', '192.0.2.1')).toBe(of('jane', '192.0.2.2'));
  expect(of('jane', '192.0.2.1')).not.toBe(of('joe', '192.0.2.1'));
  expect(of(undefined, '2001:db8:0:1::1')).toBe(of(undefined, '2001:db8:0:1::2'));
  expect(of(undefined, '2001:db8:0:1::1')).not.toBe(of(undefined, '2001:db8:0:2::1'));
});

test('a request whose client has disconnected has no address, and still counts as one', () => {
  const { key } = toClient(undefined, { ip: undefined } as never);
  expect(key).toBe('address unknown');
});
