import { statfs } from 'node:fs/promises';

const inMb = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MB`;

/** @throws Error when the disk of this directory has less than `neededBytes` free */
export async function requireFreeBytes(dir: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  throw new Error(
    `The disk with ${dir} has ${inMb(freeBytes)} free, and ${inMb(neededBytes)} are needed for a snapshot of the replica.`,
  );
}
