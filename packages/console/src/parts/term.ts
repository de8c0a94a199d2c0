import { html, type TemplateResult } from 'lit';
import { texts, type Texts } from '../locale/locale.ts';
import { paths } from './navigation.ts';

type TermName = keyof Texts['help']['terms'];
type Code = keyof Texts['exceptions'];

/** Shows a term of finance, or the code of an exception, as a link to its help. */
export function termView(name: TermName | Code, text?: string): TemplateResult {
  const { help, exceptions } = texts();
  const { name: term, meaning } =
    name in exceptions
      ? exceptions[name as Code]
      : { name: help.terms[name as TermName].name, meaning: help.terms[name as TermName].text };
  const shown = text ?? term;
  return html`<a class="term" href="${paths.help}#${name}" title=${meaning}
    >${shown}<wa-icon name="circle-question-mark" aria-hidden="true"></wa-icon
    ><span class="sr">${help.more(shown)}</span></a
  >`;
}
