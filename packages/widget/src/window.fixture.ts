import { vi } from 'vitest';

/** Returns the window that the page opened last. The test spies on `window.open`. */
export function openedWindow(): Window {
  const opened = vi.mocked(window.open).mock.results.at(-1)?.value as Window | null | undefined;
  if (!opened) throw new Error('No window was opened.');
  return opened;
}

/** Waits until the hosted page in the window that the page opened last sends `ready`. */
export function readyInWindow(): Promise<void> {
  return readySaid((source) => source === vi.mocked(window.open).mock.results.at(-1)?.value);
}

/** Waits until a hosted page sends `ready`. */
export function readySaid(
  isExpected: (source: MessageEventSource | null) => boolean = () => true,
): Promise<void> {
  return new Promise((resolve) => {
    const hear = ({ data, source }: MessageEvent<{ type?: unknown } | null>) => {
      if (data?.type !== 'ready' || !isExpected(source)) return;
      removeEventListener('message', hear);
      resolve();
    };
    addEventListener('message', hear);
  });
}
