import { expect, test } from 'vitest';
import { findSetting, settingNames } from './settings.js';

const listSettings = (name: RegExp, placeholder = /^/) =>
  settingNames.filter((one) => name.test(one) && placeholder.test(findSetting(one).placeholder));

test('passwords and secrets are never printed', () => {
  expect(listSettings(/password|secret/i).filter((name) => findSetting(name).secret !== true)).toEqual([]);
});

test('the path of a file is relative to the file that contains the setting', () => {
  expect(listSettings(/^/, /^FILE$/).filter((name) => findSetting(name).isFile !== true)).toEqual([]);
});

test('a time has a unit', () => {
  expect(listSettings(/(timeout|interval|duration|delay|window|age|ttl)$/i, /^NUMBER$/)).toEqual([]);
});
