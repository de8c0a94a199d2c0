import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Texts } from '../texts/texts.ts';
import { css, sheetAdopter } from './sheet.ts';

/** Loaded only together with the link, whose parts the notice shows. */
const phoneStyles = css`
  .phone img {
    display: block;
    inline-size: 12em;
    max-inline-size: 100%;
    margin-block: 0.75em;
    /* Cameras need a white margin (quiet zone) around the QR code, even on a dark page. */
    padding: 0.75em;
    border-radius: var(--_radius);
    background: #fff;
    image-rendering: pixelated;
  }
  .phone bdi {
    hyphens: none;
    user-select: all;
  }
  .phone a {
    color: inherit;
  }
  .phone button {
    margin-block-start: 0.75em;
  }
  .phone > div {
    flex: 1;
    min-inline-size: 0;
  }
`;

export const adoptPhoneStyles = sheetAdopter(phoneStyles);

/** The members of a link that the notice shows. */
interface ShownLink {
  readonly url: string;
  /** PNG in Base64; absent if it is not needed. */
  readonly qrCode: string | undefined;
  readonly isCopied: boolean;
}

/**
 * Renders a link's URL. The QR code repeats the URL, so it has no text alternative. If the page's
 * content security policy forbids such images, the URL is enough.
 */
export function phoneView(
  { url, qrCode, isCopied }: ShownLink,
  texts: Texts,
  copy: () => void,
): TemplateResult {
  const hide = ({ currentTarget }: Event) => ((currentTarget as HTMLElement).hidden = true);
  return html`
    ${
      qrCode &&
      html`<img part="qr-code" alt="" src="data:image/png;base64,${qrCode}" @error=${hide} />`
    }
    <p><bdi part="address" .textContent=${url}></bdi></p>
    <p>
      <a
        part="link"
        href=${url}
        target="_blank"
        rel="noopener noreferrer"
        .textContent=${texts.openHere}
      ></a>
    </p>
    <button
      part="second-button"
      class="button quiet"
      type="button"
      @click=${copy}
      .textContent=${isCopied ? texts.copied : texts.copy}
    ></button>
    <p class="unseen" role="status" .textContent=${isCopied ? texts.copied : ''}></p>
  `;
}
