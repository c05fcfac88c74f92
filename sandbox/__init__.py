"""Where submitted code runs: boxes, the fork servers that make them, and the checks that judge from outside."""
