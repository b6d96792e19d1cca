import { once } from 'node:events';
import { setTimeout as passed } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../fixtures/free-port.js';
import { MailServer } from '../fixtures/mail-server.js';
import { openSocket } from '../fixtures/raw-http.js';
import { Receiver } from '../fixtures/receiver.js';
import { TestService } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';
import {
  chatTo,
  mailTo,
  type SubscriberKeys,
  startWithSubscribers,
  webhookTo,
} from '../fixtures/subscribed-logbook.js';

// These tests use the default times. All of them wait concurrently, the longest first.
let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook.stop());

/** Removes the short times, so that the defaults apply. */
function withDefaults(keys: SubscriberKeys): SubscriberKeys {
  const { batchWindowSeconds: _1, initialRetryDelaySeconds: _2, maxRetryDelaySeconds: _3, ...others } = keys;
  return others;
}

test.concurrent('entries written while a webhook, a chat and a mail server are down for a minute arrive once and in order', async () => {
  const [hookPort, chatPort, mailPort] = [await freePort(), await freePort(), await freePort()];
  const subscribed = await startWithSubscribers({
    hook: withDefaults(webhookTo(`http://127.0.0.1:${hookPort}`)),
    chat: withDefaults({ ...chatTo(`http://127.0.0.1:${chatPort}`), text: '{title}' }),
    mail: withDefaults(mailTo(`smtp://127.0.0.1:${mailPort}`)),
  });
  const expected: string[] = [];
  const write = async () => {
    const title = `entry ${String(expected.length).padStart(2, '0')}`;
    expected.push(title);
    await subscribed.create({ title });
  };
  // One minute in total.
  for (let at = 0; at < 20; at += 1) {
    await write();
    await passed(3_000);
  }
  const hook = await Receiver.start({ port: hookPort });
  const chat = await Receiver.start({ port: chatPort });
  const mail = await MailServer.start({}, mailPort);
  await write();

  const chatTitles = () => chat.received.flatMap(({ json }) => json.text.split('\n') as string[]);
  const mailTitles = () => mail.mails.flatMap(({ text }) => Array.from(text.matchAll(/entry \d\d/g), String));
  await hook.until(() => hook.titles.length >= expected.length);
  await chat.until(() => chatTitles().length >= expected.length);
  for (let count = 1; mailTitles().length < expected.length; count += 1) await mail.waitFor(count);
  expect(hook.titles).toEqual(expected);
  expect(chatTitles()).toEqual(expected);
  expect(mailTitles()).toEqual(expected);
  const { body } = await subscribed.get('/subscribers', { as: 'admin:adminPass' });
  for (const subscriber of body) expect(subscriber).toMatchObject({ deadLetters: 0 });
  await subscribed.stop();
  for (const one of [hook, chat, mail]) await one.stop();
});

test.concurrent('a stream without events repeatedly sends a keep-alive with its position', async () => {
  const { id } = await logbook.create();
  const socket = openSocket(logbook.origin);
  socket.write('GET /logbook/changes?lastEventId=0 HTTP/1.1\r\nhost: x\r\n\r\n');
  let text = '';
  const keepAlives = () =>
    Array.from(text.matchAll(/^: keep-alive\nid: (\d+)\.\S+\n\n/gm), ([, position]) => Number(position));
  while (keepAlives().length < 2) text += String((await once(socket, 'data'))[0]);
  expect(text).toContain(`"entryId":${id},`);
  expect(keepAlives()).toEqual([1, 1]);
  socket.destroy();
});

test.concurrent('a WebSocket is pinged, also one without subscriptions', async () => {
  const client = await StompClient.open(logbook.base);
  client.send('CONNECT', { 'accept-version': '1.0' });
  await client.next('CONNECTED');
  await once(client.socket, 'ping');
  // It answered the first, and is still connected at the next one.
  await once(client.socket, 'ping');
  await client.close();
});

test.concurrent('a client that asks for heart-beats gets them', async () => {
  const client = await StompClient.open(logbook.base);
  client.send('CONNECT', { 'accept-version': '1.2', 'heart-beat': '0,30000' });
  await client.next('CONNECTED');
  expect(String((await once(client.socket, 'message'))[0])).toBe('\n');
  await client.close();
});

test.concurrent('a client that promises heart-beats and sends none is disconnected', async () => {
  const client = await StompClient.open(logbook.base);
  client.send('CONNECT', { 'accept-version': '1.2', 'heart-beat': '30000,0' });
  await client.next('CONNECTED');
  expect((await client.next('ERROR')).body).toContain('heart-beat');
  expect(await client.closed).toMatchObject({ code: 1008 });
});

test.concurrent('a client that answers no ping is disconnected', async () => {
  const client = await StompClient.open(logbook.base, { autoPong: false });
  client.send('CONNECT', { 'accept-version': '1.0' });
  await client.next('CONNECTED');
  expect(await client.closed).toMatchObject({ code: 1006 });
});
