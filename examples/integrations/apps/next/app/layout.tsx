import type { ReactNode } from 'react';

export const metadata = { title: 'Pay for your order', icons: { icon: 'data:,' } };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
