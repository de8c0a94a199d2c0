import { html } from 'lit';
import { texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { cardView, quiet } from '../../parts/views.ts';

/** Leads from the ledger through its preview to the first pass, while no ledger exists. */
export function setUpView() {
  const { setUp: words } = texts().today;
  return cardView(
    words.title,
    html`${quiet(words.hint)}
      <ol>
        <li>${words.ledger}</li>
        <li>${words.preview}</li>
        <li>${words.pass}</li>
      </ol>
      <p><wa-button variant="brand" href=${paths.imports}>${words.action}</wa-button></p>
      ${quiet(words.companion, true)}`,
  );
}
