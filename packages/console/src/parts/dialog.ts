import { html, nothing, type TemplateResult } from 'lit';
import { texts } from '../locale/locale.ts';

interface Asked {
  title: string;
  content: unknown;
  /** Label of the submit button. */
  verb: unknown;
  variant?: 'brand' | 'danger';
  isBusy?: boolean;
  onSubmit: (form: HTMLFormElement) => void;
  onClose?: () => void;
}

/** Shows a dialog with a form, a cancel button and a submit button. */
export function formDialog(asked: Asked): TemplateResult {
  const { title, content, verb, variant = 'brand', isBusy = false, onSubmit, onClose } = asked;
  const close = ({ currentTarget }: Event) => (currentTarget as Element).closest('dialog')?.close();
  return html`<dialog
    aria-label=${title}
    @cancel=${(event: Event) => isBusy && event.preventDefault()}
    @close=${onClose ?? nothing}
  >
    <form
      novalidate
      @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        if (!isBusy) onSubmit(event.currentTarget as HTMLFormElement);
      }}
    >
      <h2>${title}</h2>
      ${content}
      <div class="row end">
        <wa-button appearance="plain" ?disabled=${isBusy} @click=${close}
          >${texts().common.cancel}</wa-button
        >
        <wa-button type="submit" variant=${variant} ?loading=${isBusy}>${verb}</wa-button>
      </div>
    </form>
  </dialog>`;
}

/** Opens an element's dialog once the element has rendered it. */
export async function openDialog(
  host: HTMLElement & { updateComplete: Promise<boolean> },
): Promise<void> {
  await host.updateComplete;
  const dialog = host.querySelector('dialog');
  if (dialog?.open === false) dialog.showModal();
}
