import { join } from 'node:path';
import { type OnFinding, problem } from '../../../backup/data-finding.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';

/** Maximum number of entries named in a finding. */
const maxNamed = 20;
const advice = 'Searches by date may miss it: restore a backup, which rebuilds the order.';

/** Checks the order by which searches find entries by date (`CreationOrder`). Backups do not contain it. */
export async function checkDateOrder(dataDir: string, onFinding: OnFinding): Promise<void> {
  const documents = await openDatabase(join(dataDir, documentsFile), 'reader');
  try {
    for (const { id } of findMisplaced(documents)) {
      onFinding(problem(`entry ${id}`, 'its place in the order of dates is wrong', advice));
    }
  } finally {
    documents.close();
  }
}

function findMisplaced(documents: Connection): { readonly id: number }[] {
  return documents.all<{ id: number }>(
    `SELECT id FROM (SELECT id, lag(id) OVER (ORDER BY created_ms, id) AS former FROM entry WHERE in_order = 1)
       WHERE id < former
     UNION SELECT entry.id FROM entry LEFT JOIN backdated_entry ON backdated_entry.id = entry.id
       WHERE in_order = (backdated_entry.id IS NOT NULL) OR backdated_entry.created_ms <> entry.created_ms
     UNION SELECT id FROM backdated_entry WHERE id NOT IN (SELECT id FROM entry)
     UNION SELECT id FROM backdated_entry GROUP BY id HAVING count(*) > 1
     ORDER BY id LIMIT ${maxNamed}`,
  );
}
