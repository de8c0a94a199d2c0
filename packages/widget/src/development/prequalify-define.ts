// Imported first: defining the tag upgrades the instances that the page already contains.
import './prequalify.ts';

export * from '../prequalify/define.ts';
