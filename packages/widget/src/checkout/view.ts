import { fallbackNotice } from '../views/announcement.ts';
import type { Notice, View } from '../views/view.ts';
import { isWhole } from '../texts/texts.ts';
import type { Spoken } from '../texts/texts.ts';
import type { CheckoutController } from './controller.ts';

/** Returns everything that the templates render. */
export function viewOf(
  controller: CheckoutController,
  { order, phone: offersPhone }: { readonly order: string; readonly phone: boolean },
  texts: Spoken,
): View {
  const { amount, attempt, phase, result, stale } = controller;
  return {
    phase,
    result,
    amount,
    resumable: phase === 'idle' && controller.isResumable,
    stale,
    offline: !navigator.onLine,
    order,
    change: attempt?.change,
    session: attempt?.session,
    phone: phase === 'phone' ? attempt?.phone : undefined,
    offersPhone: offersPhone && (phase === 'idle' || phase === 'ended'),
    texts,
  };
}

/** Returns the notice for a view; undefined where there is none. */
export function noticeOf({ module }: CheckoutController, view: View): Notice | undefined {
  const { phase, texts } = view;
  if (module && isWhole(texts)) {
    return view.phone?.notice(texts) ?? module.noticeFor({ ...view, texts });
  }
  return phase === 'ended' ? fallbackNotice(view) : undefined;
}
