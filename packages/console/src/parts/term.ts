import { html, type TemplateResult } from 'lit';
import { texts, type Texts } from '../locale/locale.ts';
import { paths } from './navigation.ts';

type TermName = keyof Texts['help']['terms'];
type Code = keyof Texts['help']['exceptions'];

/** Shows a term of finance, or the code of an exception, as a link to its help. */
export function termView(name: TermName | Code, text?: string): TemplateResult {
  const { help, words } = texts();
  const exceptions: Partial<Record<string, { means: string }>> = help.exceptions;
  const terms: Partial<Record<string, { name: string; text: string }>> = help.terms;
  const shown =
    text ?? terms[name]?.name ?? (words.exceptions as Record<string, string>)[name] ?? name;
  const meaning = exceptions[name]?.means ?? terms[name]?.text ?? '';
  return html`<a class="term" href="${paths.help}#${name}" title=${meaning}
    >${shown}<wa-icon name="circle-question-mark" aria-hidden="true"></wa-icon
    ><span class="sr">${help.more(shown)}</span></a
  >`;
}
