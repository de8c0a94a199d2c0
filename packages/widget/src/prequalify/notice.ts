import { fill, picture } from '../views/notice.ts';
import type { Notice, WholeView } from '../views/view.ts';
import type { PrequalifyTexts } from '../texts/prequalify-texts.ts';
import type { PrequalifyEnded } from './outcome-event.ts';

export function noticeFor(view: WholeView<PrequalifyEnded>): Notice | undefined {
  const { offline, phase, result, session } = view;
  // The texts of a checkout and the application's own texts.
  const texts = view.texts as PrequalifyTexts;
  if (phase === 'away') {
    return {
      name: phase,
      picture: picture('clock'),
      title: texts.awayTitle,
      text: texts.away,
      action: session?.isFocusable ? 'showWindow' : undefined,
      second: texts.cancel,
      others: false,
    };
  }
  if (phase !== 'ended' || !result) return undefined;
  return noticeOf(result, texts, offline);
}

function noticeOf(result: PrequalifyEnded, texts: PrequalifyTexts, offline: boolean): Notice {
  const word = { picture: picture('word'), others: true };
  const { canContinue } = result;
  const next = canContinue ? texts.cancelled : texts.expired;
  switch (result.status) {
    case 'prequalified':
      return {
        // Uses the style of an approval.
        name: 'approved prequalified',
        picture: picture('tick'),
        title: texts.prequalifiedTitle,
        text: fill(texts.prequalified, texts, result.amount) || texts.prequalifiedOpen,
        others: false,
      };
    case 'pending':
      return {
        name: 'pending',
        picture: picture('clock'),
        title: texts.pendingTitle,
        text: texts.pending,
        action: canContinue ? 'resume' : 'checkNow',
        others: false,
      };
    case 'declined':
      return { ...word, name: 'declined', title: texts.declinedTitle, text: texts.declined };
    case 'failed':
      return { ...word, name: 'failed', title: texts.failedTitle, text: texts.failed };
    case 'not-found':
      return {
        ...word,
        name: 'not-found',
        title: texts.notFoundTitle,
        text: texts.notFound,
        action: 'startAgain',
      };
    case 'expired':
      return {
        ...word,
        name: 'expired',
        picture: picture('clock'),
        title: texts.expiredTitle,
        text: next,
        action: canContinue ? 'resume' : 'startAgain',
      };
    case 'cancelled':
      return {
        ...word,
        name: 'cancelled',
        title: texts.cancelledTitle,
        text: next,
        action: canContinue ? 'resume' : 'label',
      };
    case 'unavailable': {
      const name = offline ? 'offline' : 'unavailable';
      return { ...word, name, title: texts[`${name}Title`], text: texts[name], action: 'tryAgain' };
    }
  }
}
