/** How sure a hit has to be. Apart from what computes it: who only compares need not load that. */

/** Below it a command is answered with suggestions: most probably no section is about it. */
export const FLOOR = 0.3;
/** From it on an entry may be offered unasked for what somebody said. */
export const OFFER_BAR = 0.77;
