import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { Latencies } from './latencies.js';
import { atMost, type Line } from './report.js';
import { basic } from './requests.js';
import type { RunningServer } from './servers.js';

const rounds = 12;
/** Number of images whose thumbnails the other client requests at the same time. */
const largeImages = 5;

/** Compares the thumbnail of a photo while another client requests those of five large images with one alone. */
export async function measureThumbnails(program: RunningServer): Promise<Line> {
  const photo = await noise(1_600, 1_200);
  const large = await noise(5_000, 3_500);
  const alone = new Latencies();
  const delayed = new Latencies();
  for (let round = 0; round < rounds; round++) {
    const [first = '', second = ''] = await upload(program, 'user:userPass', photo, 2);
    alone.add(await timeThumbnail(program, first, '10.0.0.1'));
    const images = await upload(program, 'admin:adminPass', large, largeImages);
    const others = images.map((id) => timeThumbnail(program, id, '10.66.66.66'));
    delayed.add(await timeThumbnail(program, second, '10.0.0.1'));
    await Promise.all(others);
  }
  const ratio = delayed.summary().p95 / alone.summary().p95;
  return {
    name: 'thumbnail under five large images',
    figure: `p95 ${delayed.summary().p95.toFixed(0)} (${alone.summary().p95.toFixed(0)}) ms`,
    ratio: `${ratio.toFixed(1)} x alone`,
    aim: atMost(ratio, 3, 'x'),
  };
}

/** Returns a JPEG that is as slow to decode as a photo. */
function noise(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const;
  return sharp(randomBytes(width * height * 3), { raw })
    .jpeg({ quality: 30 })
    .toBuffer();
}

/** Uploads an entry with copies of an image that differ by bytes after its end; returns the ids of the attachments. */
async function upload({ origin }: RunningServer, user: string, image: Buffer, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `image-${at}.jpg`);
  const entry = {
    title: 'images',
    logbooks: [{ name: 'operations' }],
    attachments: names.map((filename) => ({ filename })),
  };
  const body = new FormData();
  body.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
  for (const name of names) {
    const content = Buffer.concat([image, randomBytes(16)]);
    body.append('files', new File([content], name, { type: 'image/jpeg' }));
  }
  const answer = await fetch(`${origin}/logbook/logs/multipart`, { method: 'PUT', headers: basic(user), body });
  if (!answer.ok) throw new Error(`PUT /logs/multipart answered ${answer.status}: ${await answer.text()}`);
  const { attachments } = (await answer.json()) as { attachments: { id: string }[] };
  return attachments.map(({ id }) => id);
}

async function timeThumbnail({ origin }: RunningServer, id: string, from: string): Promise<number> {
  const sentMs = performance.now();
  const answer = await fetch(`${origin}/logbook/attachment/${id}/thumbnail`, { headers: { 'x-forwarded-for': from } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the thumbnail was answered with ${answer.status}`);
  return performance.now() - sentMs;
}
