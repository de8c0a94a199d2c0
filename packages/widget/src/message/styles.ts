import { css, sheetAdopter } from '../views/sheet.ts';

/**
 * Styles for the message. Font, colors and line height come from the page. With the page's line
 * height, a server-rendered message has the same lines before these styles apply.
 */
export const messageStyles = css`
  :host {
    display: block;
    container-type: inline-size;
    contain-intrinsic-inline-size: 20em;
  }
  :host([hidden]),
  :host([collapsed]),
  [hidden] {
    display: none !important;
  }
  :host > p {
    --_lines: 5;
    box-sizing: border-box;
    min-block-size: calc(var(--financing-message-lines, var(--_lines)) * 1lh);
    margin: 0;
    color: var(--financing-text, inherit);
    font-family: var(--financing-font, inherit);
    text-align: start;
    text-transform: none;
    white-space: normal;
    overflow-wrap: anywhere;
    hyphens: manual;
  }
  @container (width >= 20em) {
    :host > p {
      --_lines: 3;
    }
  }
  @container (width >= 30em) {
    :host > p {
      --_lines: 2;
    }
  }
  @container (width >= 60em) {
    :host > p {
      --_lines: 1;
    }
  }
  [part='disclosure'] {
    color: var(--financing-muted, inherit);
  }
  :host > p > button {
    padding: 0;
    border: 0;
    background: none;
    color: var(--financing-accent, inherit);
    font: inherit;
    text-decoration: underline;
    cursor: pointer;
  }
  :host > p > :disabled {
    visibility: hidden;
  }
  :host > p > :focus-visible {
    outline: 3px solid var(--financing-focus, currentColor);
    outline-offset: 2px;
  }
`;

export const adoptMessageStyles = sheetAdopter(messageStyles);
