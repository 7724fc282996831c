/**
 * Every rule of A2A 1.0.1 that applies to Tandem, by its id. A test names the rules that it verifies with `verifies()`
 * (test/helpers/verifies.ts). The test beside this file fails if a rule of a finished step has no test.
 */
import { AUTHENTICATION, AUTHORIZATION, EXTENDED_CARD, IN_TASK_AUTHORIZATION } from './requirements/access.ts';
import type { Requirement } from './requirements/define.ts';
import { BINDINGS, CAPABILITIES, ERRORS, EXTENSIONS, OPERATION } from './requirements/errors-and-bindings.ts';
import { PUSH } from './requirements/push.ts';
import { GET_AND_CANCEL, IDS, LIST, SEND, STREAM } from './requirements/tasks.ts';
import { CARDS, SIGNATURES, VERSIONS } from './requirements/versions-and-cards.ts';

const ALL = {
  ...VERSIONS,
  ...CARDS,
  ...SIGNATURES,
  ...AUTHENTICATION,
  ...AUTHORIZATION,
  ...ERRORS,
  ...CAPABILITIES,
  ...SEND,
  ...IDS,
  ...STREAM,
  ...LIST,
  ...GET_AND_CANCEL,
  ...PUSH,
  ...IN_TASK_AUTHORIZATION,
  ...EXTENDED_CARD,
  ...EXTENSIONS,
  ...BINDINGS,
  ...OPERATION,
};

export type RequirementId = keyof typeof ALL;

export const REQUIREMENTS: Readonly<Record<RequirementId, Requirement>> = ALL;
