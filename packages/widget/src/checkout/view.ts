import { fallbackNotice } from '../views/announcement.ts';
import type { Notice, View } from '../views/view.ts';
import { isWhole } from '../texts/texts.ts';
import type { Spoken } from '../texts/texts.ts';
import type { CheckoutController } from './controller.ts';

/** Returns everything that the templates render. */
export function viewOf(controller: CheckoutController, order: string, texts: Spoken): View {
  const { amount, attempt, isResumable, phase, result, stale } = controller;
  return {
    phase,
    result,
    amount,
    resumable: phase === 'idle' && isResumable,
    stale,
    offline: !navigator.onLine,
    order,
    change: attempt?.change,
    session: attempt?.session,
    texts,
  };
}

/** Returns the notice for a view; undefined where there is none. */
export function noticeOf({ module }: CheckoutController, view: View): Notice | undefined {
  const { phase, texts } = view;
  if (module && isWhole(texts)) return module.noticeFor({ ...view, texts });
  return phase === 'ended' ? fallbackNotice(view) : undefined;
}
