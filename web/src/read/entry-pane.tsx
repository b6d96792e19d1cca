export function EntryPane() {
  return <main className="read" />;
}
