import { expect, test } from 'vitest';
import { findRefusal } from './allowed-addresses.js';

const strict = { allowPrivate: false, allowed: [] };

test.each([
  '127.0.0.1',
  '127.255.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001:0:1::1',
  '2001:db8::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '5f00::1',
  'localhost',
  '',
])('“%s” is refused', (address) => {
  expect(findRefusal(address, strict)).toBeDefined();
});

test.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2a00:1450::1', '2606:4700::1111'])(
  '%s is public',
  (address) => {
    expect(findRefusal(address, strict)).toBeUndefined();
  },
);

test.each([
  ['127.0.0.1', true],
  ['10.0.0.1', true],
  ['100.64.0.1', true],
  ['::1', true],
  ['fd12::1', true],
  ['::ffff:192.168.0.1', true],
  ['169.254.169.254', false],
  ['168.63.129.16', false],
  ['100.100.100.200', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
])('with private addresses allowed, %s: %s', (address, expected) => {
  expect(findRefusal(address, { allowPrivate: true, allowed: [] }) === undefined).toBe(expected);
});

test.each([
  ['127.0.0.1', ['127.0.0.1'], true],
  ['::ffff:127.0.0.1', ['127.0.0.1'], true],
  ['127.0.0.2', ['127.0.0.1'], false],
  ['10.1.200.3', ['192.168.0.0/16', '10.1.0.0/16'], true],
  ['10.2.0.1', ['10.1.0.0/16'], false],
  ['fd00:1::5', ['fd00:1::/32'], true],
  ['fd00:2::5', ['fd00:1::/32', '10.0.0.0/8'], false],
  ['169.254.169.254', ['169.254.169.254'], true],
])('%s with %j allowed: %s', (address, allowed, expected) => {
  expect(findRefusal(address, { allowPrivate: false, allowed }) === undefined).toBe(expected);
});
