import { Outlet } from '@tanstack/react-router';
import { SidePanel } from '../app/side-panel.tsx';

export function FindPage() {
  return (
    <div className="find">
      <SidePanel />
      <section className="mid" />
      <Outlet />
    </div>
  );
}
