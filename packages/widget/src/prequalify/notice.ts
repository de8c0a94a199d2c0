import { fill, picture } from '../views/notice.ts';
import type { Notice } from '../views/view.ts';
import type { PrequalifyEnded } from './attempt.ts';
import type { PrequalifyTexts } from './texts/texts.ts';

/** What the notice depends on. */
export interface NoticeContext {
  readonly phase: string;
  readonly result: PrequalifyEnded | undefined;
  /** Whether the lender's page is in a window that can be brought to the front. */
  readonly isFocusable: boolean;
  readonly offline: boolean;
  readonly texts: PrequalifyTexts;
}

/** Returns the notice of an application; undefined where there is none. */
export function prequalifyNoticeFor(context: NoticeContext): Notice | undefined {
  const { phase, result, isFocusable, texts } = context;
  if (phase === 'away') {
    return {
      name: phase,
      picture: picture('clock'),
      title: texts.awayTitle,
      text: texts.away,
      action: isFocusable ? 'showWindow' : undefined,
      second: texts.cancel,
      others: false,
    };
  }
  if (phase !== 'ended' || !result) return undefined;
  return noticeOf(result, context);
}

function noticeOf(result: PrequalifyEnded, { offline, texts }: NoticeContext): Notice {
  const word = { picture: picture('word'), others: true };
  const { canContinue } = result;
  const next = canContinue ? texts.cancelled : texts.expired;
  switch (result.status) {
    case 'prequalified':
      return {
        // The style of an approval.
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
