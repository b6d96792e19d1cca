import { expect, test } from 'vitest';
import { linkAttributes } from './link-attributes.ts';

const site = { origin: 'https://log.example.org', rootPath: '/logbook' };
const away = (href: string) => ({ href, target: '_blank', rel: 'noreferrer' });

test.each([
  'https://other.example/x',
  'http://log.example.org/entries/7',
  'https://log.example.org:8443/',
  '//other.example/x',
  '//other.example',
  '/\\other.example',
  '\\\\other.example',
  '/\t/other.example',
  'https:\\\\other.example',
  'mailto:jane@example.org',
])('%s opens in a new tab without an opener', (target) => {
  expect(linkAttributes(target, site)).toEqual(away(target));
});

test.each([
  ['#48211', '/entries/48211'],
  ['#0', '/entries/0'],
  ['#part', '#part'],
  ['/entries/7', '/entries/7'],
  ['attachment/a1', '/logbook/attachment/a1'],
  ['logs/7', '/logbook/logs/7'],
  ['https://log.example.org/entries/7?query=a#b', '/entries/7?query=a#b'],
  ['https:/entries/7', '/entries/7'],
  ['//log.example.org/entries/7', '//log.example.org/entries/7'],
  ['/sign-in', '/sign-in'],
])('%s stays in this tab: %s', (target, href) => {
  expect(linkAttributes(target, site)).toEqual({ href });
});

test.each([
  '/logbook/logout',
  '/logbook/logout/',
  '/logbook/logout?x#y',
  '/Olog/logout',
  '/logbook/Olog/logout',
  '/logbook/LOGOUT',
  '/logbook/log%6Fut',
  '/logbook/x/../logout',
  '../logbook/logout',
  '//log.example.org/logbook/logout',
  'https://log.example.org/logbook/logout',
  '/logbook/login/oidc?returnTo=/',
  '/logbook/login/oidc/callback?code=x',
  'attachment/../logout',
  'http://[broken',
])('%s does nothing', (target) => {
  expect(linkAttributes(target, site)).toEqual({});
});
