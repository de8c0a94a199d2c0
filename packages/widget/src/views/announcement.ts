import type { Notice, View } from './view.ts';

/** Returns the text for the live region: what a screen reader announces in a phase. */
export function announcementFor(
  { phase, texts, offline }: Pick<View, 'phase' | 'texts' | 'offline'>,
  notice: Notice | undefined,
): string {
  if (notice) return `${notice.title}. ${notice.text}`;
  if (phase === 'slow' || phase === 'silent')
    return (offline ? texts.offlineTitle : texts.slow) ?? '';
  if (phase === 'shown') return texts.ready ?? '';
  if (phase === 'opening' || phase === 'loading') return texts.loading;
  return phase === 'leaving' || phase === 'away' ? texts.working : '';
}

/** Returns the notice to show if the code with all other notices did not load. */
export function fallbackNotice({
  result,
  texts,
}: View<{ readonly retrySafe?: boolean | undefined }>): Notice {
  const others = result?.retrySafe === true;
  const [name, action] = others
    ? (['unavailable', 'tryAgain'] as const)
    : (['checking', 'checkNow'] as const);
  return { name, title: texts[`${name}Title`], text: texts[name], action, others };
}
