import { readFile } from 'node:fs/promises';
import { checkProof } from '../ledger/check-proof.js';

/**
 * Checks a proof, and prints its statements.
 * @throws NotProven
 */
export async function printProof(proofFile: string, keyFile: string): Promise<void> {
  const [proof, key] = await Promise.all([readFile(proofFile), readFile(keyFile, 'utf8')]);
  for (const line of checkProof(proof, key)) console.log(line);
}
