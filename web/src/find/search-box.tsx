export function SearchBox() {
  return <div className="search" />;
}
