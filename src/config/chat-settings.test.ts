import { expect, test } from 'vitest';
import type { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';

const chatUrl = 'https://chat.example.org/hooks/T0KEN';
const load = (properties: Record<string, string>) => loadConfig({ flags: {}, properties, configFile: undefined }, {});
const problemsOf = (properties: Record<string, string>): readonly string[] => {
  try {
    load(properties);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

test('messages in a chat are off by default; with a webhook address, they go to the user of the same name', () => {
  expect(load({}).options.chat).toBeUndefined();
  expect(load({ chatUrl }).options.chat).toEqual({
    ...{ url: new URL(chatUrl), recipient: '@{userName}', allowAddresses: [], caCertificates: undefined },
  });
});

test.each(['@all', '{userName}', '#{userName}', '@', 'town-square'])(
  'a recipient that would be shared, or could be a channel, is refused: %s',
  (chatRecipient) => {
    expect(problemsOf({ chatUrl, chatRecipient })).toEqual([
      expect.stringMatching(/chatRecipient.*it must begin with @ and contain \{userName\}/),
    ]);
  },
);

test('settings without the address of the webhook, and an invalid address, are refused', () => {
  expect(problemsOf({ chatAllowAddresses: '10.1.0.0/16' })).toEqual([
    'chatAllowAddresses has no effect without chatUrl: set chatUrl, or remove chatAllowAddresses',
  ]);
  expect(problemsOf({ chatUrl: 'chat.example.org' })).toEqual([expect.stringContaining('chatUrl')]);
});
