    // Word 0 is 0, word 1 leads to the MOD0; every field is relative to the MOD0 itself.
    .section .module_header, "ax", %progbits
    .hidden _DYNAMIC
    .hidden __bss_start
    .hidden __bss_end
    .hidden __eh_frame_hdr_start
    .hidden __eh_frame_hdr_end
__module_start:
    .word 0
    .word __mod0 - __module_start
__mod0:
    .ascii "MOD0"
    .word _DYNAMIC - __mod0
    .word __bss_start - __mod0
    .word __bss_end - __mod0
    .word __eh_frame_hdr_start - __mod0
    .word __eh_frame_hdr_end - __mod0
    .word __bss_start - __mod0
