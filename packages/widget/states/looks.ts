/** The axes of the page with all states. */
export const themes = ['none', 'calm', 'contrast', 'soft'] as const;
export const schemes = ['light', 'dark'] as const;
export const widths = [320, 768, 1280] as const;

/** A message with its dialog closed or open. */
export const messageStates = ['message-closed', 'message-open'] as const;

/** Returns the URL of the page that shows a state of a message or of another element. */
export function addressOf(state: string, look: Readonly<Record<string, string>>): string {
  const [, ofMessage] = /^message-(.+)$/.exec(state) ?? [];
  const query = new URLSearchParams({ state: ofMessage ?? state, ...look });
  return `${ofMessage === undefined ? 'cell' : 'message'}.html?${query.toString()}`;
}
