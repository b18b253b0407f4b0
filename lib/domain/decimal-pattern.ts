/** Regular expression source of an unsigned decimal number, with an optional exponent. */
export const decimalPattern = "(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?";
